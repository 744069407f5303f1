export { noteActive } from './activity/service.ts'
export { bringTogether, type Counted, measure } from './service.ts'
