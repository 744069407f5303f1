export { appealsOf } from './service.ts'
