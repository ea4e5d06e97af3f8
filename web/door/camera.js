// @ts-check
/** The camera, and codes read from it: by the browser where it can, else by a decoder of our own. */

/** The longest side of a picture that is searched as a whole. */
const SIDE = 640;
/** The side of the middle that is searched in full detail, in turn with the whole. */
const MIDDLE = 480;
const EVERY_MS = 70;
/** A code that is held on is one scan until it has been out of sight for this long. */
const AWAY_MS = 2000;

const FORMATS = ['qr_code', 'code_128', 'code_39', 'ean_13', 'itf', 'pdf417', 'aztec', 'data_matrix'];

/** @typedef {(pixels: {video: HTMLVideoElement, turn: number}) => Promise<string>} Decoder */

/** @returns {Promise<Decoder>} */
async function browsers() {
  const Detector = /** @type {any} */ (window).BarcodeDetector;
  const known = await Detector.getSupportedFormats();
  if (!known.includes('qr_code')) throw new Error('no codes');
  const detector = new Detector({ formats: FORMATS.filter((one) => known.includes(one)) });
  return async ({ video }) => (await detector.detect(video))[0]?.rawValue ?? '';
}

/** @returns {Decoder} */
function ours() {
  const worker = new Worker('/door/decode.js');
  const canvas = document.createElement('canvas');
  const paper = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { willReadFrequently: true }));
  return ({ video, turn }) => new Promise((done) => {
    const { videoWidth: w, videoHeight: h } = video;
    const middle = turn % 2 === 1 && Math.max(w, h) > SIDE;
    if (middle) {
      canvas.width = Math.min(MIDDLE, w);
      canvas.height = Math.min(MIDDLE, h);
      paper.drawImage(video, (w - canvas.width) / 2, (h - canvas.height) / 2, canvas.width, canvas.height, 0, 0, canvas.width, canvas.height);
    } else {
      const scale = Math.min(1, SIDE / Math.max(w, h));
      canvas.width = Math.round(w * scale);
      canvas.height = Math.round(h * scale);
      paper.drawImage(video, 0, 0, canvas.width, canvas.height);
    }
    const { data } = paper.getImageData(0, 0, canvas.width, canvas.height);
    worker.onmessage = (event) => done(event.data.code);
    worker.onerror = () => done('');
    worker.postMessage({ pixels: data.buffer, width: canvas.width, height: canvas.height, turn }, [data.buffer]);
  });
}

/** @type {Promise<Decoder> | null} */
let decoder = null;
const theDecoder = () => (decoder ??= 'BarcodeDetector' in window ? browsers().catch(ours) : Promise.resolve(ours()));

/** Which cameras there are; they have names once one was allowed. */
export async function cameras() {
  const all = await navigator.mediaDevices?.enumerateDevices?.() ?? [];
  return all.filter((one) => one.kind === 'videoinput' && one.deviceId);
}

/**
 * Shows the camera and tells each code once.
 * @param {HTMLVideoElement} video @param {string} deviceId
 * @param {(code: string, seenAt: number) => void} onCode @param {() => '' | 'asking' | 'shown'} paused @param {() => void} onEnd
 */
export async function startCamera(video, deviceId, onCode, paused, onEnd) {
  if (!navigator.mediaDevices?.getUserMedia) throw new DOMException('', 'NotSupportedError');
  const size = { width: { ideal: 1280 }, height: { ideal: 720 } };
  const ask = (/** @type {MediaTrackConstraints} */ video) => navigator.mediaDevices.getUserMedia({ audio: false, video });
  // Made ready while the camera is, so that the first code does not wait.
  theDecoder();
  const stream = deviceId
    ? await ask({ ...size, deviceId: { exact: deviceId } }).catch(() => ask({ ...size, facingMode: { ideal: 'environment' } }))
    : await ask({ ...size, facingMode: { ideal: 'environment' } });
  const track = stream.getVideoTracks()[0];
  let running = true;
  const stop = () => {
    running = false;
    stream.getTracks().forEach((one) => one.stop());
    if (video.srcObject === stream) video.srcObject = null;
  };
  try {
    video.srcObject = stream;
    await video.play();
  } catch (error) {
    stop();
    throw error;
  }
  track.addEventListener('ended', () => {
    if (running) onEnd();
  });
  const decode = await theDecoder();
  let turn = 0;
  /** When a code was last in sight. @type {Map<string, number>} */
  const sight = new Map();
  const loop = async () => {
    while (running) {
      const from = performance.now();
      // While the service is asked, the device has better to do.
      if (video.readyState >= 2 && video.videoWidth && !document.hidden && paused() !== 'asking') {
        turn += 1;
        const code = (await decode({ video, turn }).catch(() => '')).trim();
        if (!running) return;
        if (code) {
          const seen = performance.now();
          const held = seen - (sight.get(code) ?? -Infinity) <= AWAY_MS;
          const free = !paused();
          // What first comes into sight below a verdict is read when that is gone.
          if (held || free) sight.set(code, seen);
          if (!held && free) onCode(code, from);
        }
      }
      await new Promise((done) => setTimeout(done, Math.max(8, EVERY_MS - (performance.now() - from))));
    }
  };
  loop();
  const can = /** @type {any} */ (track.getCapabilities?.() ?? {});
  return {
    stop,
    id: track.getSettings?.().deviceId ?? '',
    torch: can.torch ? (/** @type {boolean} */ on) => track.applyConstraints(/** @type {any} */ ({ advanced: [{ torch: on }] })) : null,
  };
}
