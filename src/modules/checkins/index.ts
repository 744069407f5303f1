export { checkinsDisabled, requireCheckins } from './service.ts'
