export { isFreshSignIn, isNewDevice, listSignIns } from './queries.ts'
export {
  cachedViewer,
  findEnded,
  findRevoked,
  findViewer,
  type IssuedToken,
  issueToken,
  onRevocation,
  refreshToken,
  revokeTokens,
} from './service.ts'
