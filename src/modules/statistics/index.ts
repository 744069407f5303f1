export { noteActive } from './activity/service.ts'
export { bringTogether, measure } from './service.ts'
