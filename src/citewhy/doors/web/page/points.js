// The server counts characters (code points), JavaScript counts UTF-16 units. They differ where a text has
// characters beyond the Basic Multilingual Plane, such as 𝑥 or 🙂.

/** Translates offsets of one text both ways. */
export class Points {
  constructor(text) {
    this.beyond = []; // units at which a character of two units begins
    if (/[\ud800-\udbff]/.test(text)) {
      for (const match of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) this.beyond.push(match.index);
    }
  }

  /** Code points to units. */
  units(point) {
    let unit = point;
    for (const start of this.beyond) {
      if (start >= unit) break;
      unit += 1;
    }
    return unit;
  }

  /** Units to code points. */
  points(unit) {
    let before = 0;
    for (const start of this.beyond) {
      if (start >= unit) break;
      before += 1;
    }
    return unit - before;
  }
}
