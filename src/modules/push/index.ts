export { anyHasDevice, pushToDevices, type Retry } from './service.ts'
