export {
  isFreshSignIn,
  isNewDevice,
  listNetworks,
  listSignIns,
  selectSignedInFrom,
} from './queries.ts'
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
  revokeTokensOf,
} from './service.ts'
