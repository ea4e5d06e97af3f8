// @ts-check
/** A code to be scanned at the entrance. */
import { html, useEffect, useMemo, useState } from '/shared/ui.js';

/** A code as one path of squares. @param {{text: string, label: string}} of */
export function Code({ text, label }) {
  const [make, setMake] = useState(/** @type {any} */ (null));
  useEffect(() => {
    import('/shared/vendor/qrcode.js').then(({ qrcode }) => setMake(() => qrcode));
  }, []);
  const drawn = useMemo(() => {
    if (!make) return null;
    const code = make(0, 'M');
    code.addData(text);
    code.make();
    const n = code.getModuleCount();
    let path = '';
    for (let y = 0; y < n; y += 1) {
      for (let x = 0; x < n; x += 1) if (code.isDark(y, x)) path += `M${x + 4} ${y + 4}h1v1h-1z`;
    }
    return { path, size: n + 8 };
  }, [make, text]);
  return html`<div class="code">${drawn && html`<svg role="img" aria-label=${label} viewBox=${`0 0 ${drawn.size} ${drawn.size}`} width="200" height="200" shape-rendering="crispEdges">
    <rect width=${drawn.size} height=${drawn.size} fill="#fff" /><path d=${drawn.path} fill="#000" /></svg>`}</div>`;
}
