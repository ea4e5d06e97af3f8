// @ts-check
/** Inside of a frame: tells the page around how high it is. The message goes to that page's origin alone. */

/** @param {string | undefined} origin */
export function tellHeight(origin) {
  if (parent === window || !origin || !/^https?:\/\/[^/]+$/.test(origin)) return;
  let last = 0;
  const tell = () => {
    const height = Math.ceil(/** @type {HTMLElement} */ (document.getElementById('app')).getBoundingClientRect().height) + 8;
    if (height === last) return;
    last = height;
    parent.postMessage({ boxoffice: 'height', height }, origin);
  };
  new ResizeObserver(tell).observe(/** @type {HTMLElement} */ (document.getElementById('app')));
  addEventListener('message', (event) => {
    if (event.origin === origin && event.source === parent && event.data?.boxoffice === 'ask') {
      last = 0;
      tell();
    }
  });
  tell();
}
