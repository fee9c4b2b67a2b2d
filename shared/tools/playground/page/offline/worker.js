// Service worker that caches the page for offline use: at once what every visit needs, and the
// whole engine and the cases, which are larger than all the rest, when they are first used. The
// build inserts the version and the lists of files.
const PREFIX = `portcullis ${self.registration.scope} `;
const CACHE = `${PREFIX}${"VERSION"}`;
const FILES = ["FILES"];
const LATER = new Set(["LATER"].map((file) => new URL(file, self.registration.scope).href));

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      // The HTTP cache has just got most files. It can contain an older version of those without a
      // content hash in their names.
      .then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: caching(file) }))))
      .then(() => self.skipWaiting()),
  );
});

const caching = (file) => (file.startsWith("assets/") ? "default" : "reload");

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
    event.respondWith(cached(request).then((response) => response ?? load(event)));
  }
});

/** Fetches a file, and caches it if it is part of the page. */
async function load(event) {
  const response = await fetch(event.request);
  if (response.ok && LATER.has(event.request.url)) {
    const copy = response.clone();
    event.waitUntil(caches.open(CACHE).then((cache) => cache.put(event.request, copy)));
  }
  return response;
}
