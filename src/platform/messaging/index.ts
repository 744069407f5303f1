export { createMail, type Mail } from './mail.ts'
export { createPush, type PushMessage, type PushSender, routePush, type SitePush } from './push.ts'
export { createApns, createFcm, createJpush, type FcmAccount } from './push-services.ts'
