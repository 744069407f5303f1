export { mailSender } from './mail.ts'
export {
  alertAccountOwner,
  alertOfSuspension,
  type Channel,
  deliver,
  enqueueMessage,
  hasEmail,
  messageUser,
  notifyAccountChanged,
} from './messages.ts'
