/** Everything that a program or a model may take for the end of a line. */
export const LINE_ENDS = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g

/** Control characters, and those that change the direction or hide text: what is read is what is there. */
export const INVISIBLE =
  // eslint-disable-next-line no-control-regex -- they are what it removes
  /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu
