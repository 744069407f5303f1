export { deleteLinks } from './service.ts'
