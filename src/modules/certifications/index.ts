export { CERTIFICATION_FILE } from './schema.ts'
export { revokeCertification } from './service.ts'
