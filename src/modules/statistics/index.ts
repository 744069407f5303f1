export { noteActive } from './activity/service.ts'
export { bringTogether } from './service.ts'
