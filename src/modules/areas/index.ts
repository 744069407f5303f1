export { areaTables } from './imports/thinksns.ts'
