// What the page takes of Preact and htm, as one module.
import { Fragment, h, render } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import htm from "htm";

const html = htm.bind(h);

export { Fragment, h, html, render, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState };
