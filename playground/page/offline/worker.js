// Keeps the page for when there is no network. The build writes the version and the list of files.
const OURS = `portcullis ${self.registration.scope} `;
const CACHE = `${OURS}${"VERSION"}`;
const FILES = ["FILES"];

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      // Past the browser's own cache, which may have an older page.
      .then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" }))))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  const outdated = (name) => name.startsWith(OURS) && name !== CACHE;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(outdated).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

// The page itself comes from the network where there is one, so that nobody is left with an old one. All other files
// have the hash of their content in their names.
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== self.location.origin) return;
  const kept = (file) => caches.match(file, { ignoreSearch: true, cacheName: CACHE });
  if (request.mode === "navigate") {
    // Whatever it is called: ./ or index.html.
    event.respondWith(fetch(request).catch(async () => (await kept("./")) ?? Response.error()));
  } else {
    event.respondWith(kept(request).then((response) => response ?? fetch(request)));
  }
});
