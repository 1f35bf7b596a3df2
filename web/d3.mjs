// What the pictures take of d3, as one module.
export { extent, max, rollups } from "d3-array";
export { forceCollide, forceSimulation, forceX, forceY } from "d3-force";
export { scaleBand, scaleLinear, scaleSqrt } from "d3-scale";
