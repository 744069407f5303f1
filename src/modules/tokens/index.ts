export {
  findRevoked,
  findViewer,
  forgetTokens,
  type IssuedToken,
  issueToken,
  onRevocation,
  REFRESH_MINUTES,
  recallViewer,
  refreshToken,
  revokeTokens,
  TOKEN_MINUTES,
  tidyTokens,
} from './service.ts'
