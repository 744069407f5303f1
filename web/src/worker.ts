/** The service worker at `/sw.js`: keeps pages for reading offline, and shows push messages. */
import './app/worker-pages.ts'
import './modules/notifications/push.worker.js'
