// @ts-check
/** Sound and vibration of a verdict, so that nobody has to look. */

/** @type {AudioContext | null} */
let audio = null;

/** Browsers make no sound before a touch: this is called from one. */
export function allowSound() {
  try {
    audio ??= new AudioContext();
    if (audio.state === 'suspended') audio.resume().catch(() => undefined);
  } catch {
    audio = null;
  }
}

/** Pitch, start and length of each tone, in hertz and seconds. @type {Record<'good' | 'warn' | 'bad', [number, number, number, OscillatorType][]>} */
const TONES = {
  good: [[880, 0, 0.09, 'sine'], [1320, 0.1, 0.16, 'sine']],
  warn: [[520, 0, 0.16, 'triangle'], [520, 0.22, 0.16, 'triangle']],
  bad: [[170, 0, 0.45, 'sawtooth']],
};
const SHAKES = { good: [60], warn: [90, 70, 90], bad: [350] };

/** @param {'good' | 'warn' | 'bad'} kind @param {boolean} sound */
export function signalOf(kind, sound) {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(SHAKES[kind]);
  if (!sound || !audio || audio.state !== 'running') return;
  for (const [pitch, start, length, type] of TONES[kind]) {
    const tone = audio.createOscillator();
    const loud = audio.createGain();
    const at = audio.currentTime + start;
    tone.type = type;
    tone.frequency.value = pitch;
    loud.gain.setValueAtTime(0, at);
    loud.gain.linearRampToValueAtTime(0.5, at + 0.01);
    loud.gain.setValueAtTime(0.5, at + length - 0.03);
    loud.gain.linearRampToValueAtTime(0, at + length);
    tone.connect(loud).connect(audio.destination);
    tone.start(at);
    tone.stop(at + length);
  }
}
