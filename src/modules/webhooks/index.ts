export { hasEndpointFor, publishEvent } from './service.ts'
