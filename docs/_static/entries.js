// An entry of errors is a page; its old address was a place on the page that now lists it, and leads there.
function fragment() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return ""; // half a percent sign names no place
  }
}

function forward() {
  const entry = document.getElementById(fragment())?.closest(".page-entries > li");
  const link = entry?.querySelector("a");
  if (link) location.replace(link.href);
}

window.addEventListener("hashchange", forward);
forward();
