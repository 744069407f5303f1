export { deletePlace } from './queries.ts'
