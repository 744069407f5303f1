export { checkinsDisabled, requireCheckins } from './service.ts'
export { CHECKIN_SETTINGS } from './settings.ts'
