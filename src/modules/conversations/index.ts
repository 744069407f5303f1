export { deleteFeedback } from './queries.ts'
