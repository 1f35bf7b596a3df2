// What the pictures take of d3, as one module.
export { extent, max, rollups } from "d3-array";
export { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";
export { scaleBand, scaleLinear, scaleSqrt } from "d3-scale";
