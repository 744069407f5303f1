export { forgetDays, noteActive } from './activity/service.ts'
export { bringTogether, measure } from './service.ts'
export { keepTraffic } from './traffic/service.ts'
