// Keeps the page for when there is no network. The build writes the version and the list of files.
const CACHE = `portcullis-${"VERSION"}`;
const FILES = ["FILES"];

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  const outdated = (name) => name.startsWith("portcullis-") && name !== CACHE;
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
  const kept = () => caches.match(request, { ignoreSearch: true, cacheName: CACHE });
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(async () => (await kept()) ?? Response.error()));
  } else {
    event.respondWith(kept().then((response) => response ?? fetch(request)));
  }
});
