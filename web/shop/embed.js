// The shop of an event inside of another page:
//   <script src="https://tickets.example/shop/embed.js" async></script>
//   <boxoffice-shop event="…"></boxoffice-shop>
// Attributes: event, combo, view, venue, lang, day, and label, the name that a screen reader says.
(() => {
  const home = new URL(document.currentScript.src);
  const NAMES = ['venue', 'lang', 'view', 'event', 'combo', 'day', 'slot'];

  class BoxofficeShop extends HTMLElement {
    static observedAttributes = NAMES;

    connectedCallback() {
      const frame = document.createElement('iframe');
      frame.title = this.getAttribute('label') || 'Tickets';
      frame.width = '100%';
      frame.height = '640';
      frame.style.border = '0';
      frame.style.display = 'block';
      frame.style.inlineSize = '100%';
      frame.referrerPolicy = 'origin';
      frame.allow = 'payment';
      this.frame = frame;
      this.heard = (event) => {
        if (event.origin !== home.origin || event.source !== frame.contentWindow) return;
        const { boxoffice, height } = event.data ?? {};
        if (boxoffice === 'height' && Number.isFinite(height)) frame.style.blockSize = `${Math.min(Math.max(height, 200), 20000)}px`;
      };
      addEventListener('message', this.heard);
      frame.addEventListener('load', () => frame.contentWindow.postMessage({ boxoffice: 'ask' }, home.origin));
      this.point();
      this.replaceChildren(frame);
    }

    disconnectedCallback() {
      removeEventListener('message', this.heard);
      this.frame = null;
      this.replaceChildren();
    }

    attributeChangedCallback() {
      if (this.frame) this.point();
    }

    point() {
      const address = new URL('embed.html', home);
      for (const name of NAMES) {
        const value = this.getAttribute(name);
        if (value) address.searchParams.set(name, value);
      }
      address.searchParams.set('origin', location.origin);
      if (this.frame.src !== address.href) this.frame.src = address.href;
    }
  }

  if (!customElements.get('boxoffice-shop')) customElements.define('boxoffice-shop', BoxofficeShop);
})();
