// A worker that looks for a QR code in pictures, so that the page never waits for it.
/* global jsQR */
importScripts('/door/vendor/jsqr.js');

/** Once for nothing, so that the first code does not wait for the decoder to be made ready. */
try {
  const side = 320;
  const noise = new Uint8ClampedArray(side * side * 4);
  for (let at = 0; at < noise.length; at += 1) noise[at] = (at * 2654435761) >>> 24;
  jsQR(noise, side, side, { inversionAttempts: 'attemptBoth' });
} catch { /* see below */ }

onmessage = ({ data }) => {
  const { pixels, width, height, turn } = data;
  let code = '';
  try {
    // Light on dark codes, as phones in their dark mode show them, are rarer: every fourth picture looks for them.
    code = jsQR(new Uint8ClampedArray(pixels), width, height, { inversionAttempts: turn % 4 === 3 ? 'onlyInvert' : 'dontInvert' })?.data ?? '';
  } catch { /* the decoder gives up on pictures without any contrast */ }
  postMessage({ code, turn });
};
