export { deleteSignIns, isNewDevice, listSignIns } from './queries.ts'
export {
  findRevoked,
  findViewer,
  forgetTokens,
  type IssuedToken,
  issueToken,
  onRevocation,
  recallViewer,
  refreshToken,
  revokeTokens,
} from './service.ts'
