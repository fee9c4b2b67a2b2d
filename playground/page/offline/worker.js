// Service worker that caches the page for offline use. The build inserts the version and the list
// of files.
const PREFIX = `portcullis ${self.registration.scope} `;
const CACHE = `${PREFIX}${"VERSION"}`;
const FILES = ["FILES"];

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      // Bypasses the HTTP cache, which can contain an older version of the page.
      .then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" }))))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  const outdated = (name) => name.startsWith(PREFIX) && name !== CACHE;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(outdated).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

// The page itself is fetched from the network first, so that users get the latest version. All
// other files have a content hash in their names.
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== self.location.origin) return;
  const cached = (file) => caches.match(file, { ignoreSearch: true, cacheName: CACHE });
  if (request.mode === "navigate") {
    // The cache contains the page as ./, even if it was requested as index.html.
    event.respondWith(fetch(request).catch(async () => (await cached("./")) ?? Response.error()));
  } else {
    event.respondWith(cached(request).then((response) => response ?? fetch(request)));
  }
});
