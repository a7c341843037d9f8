// A line that installs the helper by its name alone gets the address that this page came from: it runs in any folder.
/** @type {NodeListOf<HTMLAnchorElement>} */
const wheels = document.querySelectorAll('a[href$=".whl"]');
const { href, protocol, pathname } = new URL(wheels[0]?.href ?? location.href);
// A file's path has a drive behind its first slash on Windows.
const address = protocol === "file:" ? decodeURIComponent(pathname).replace(/^\/(?=[A-Za-z]:)/, "") : href;
const name = decodeURIComponent(pathname.split("/").at(-1) ?? "");
for (const block of wheels.length ? document.querySelectorAll(".install") : []) {
  const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const words = text.textContent ?? "";
    const begin = words.indexOf(name);
    if (begin < 0 || words[begin - 1] === "/") continue;
    text.textContent = words.slice(0, begin) + (/\s/.test(address) ? `"${address}"` : address) + words.slice(begin + name.length);
  }
}
