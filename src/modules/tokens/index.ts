export {
  findViewer,
  forgetTokens,
  type IssuedToken,
  issueToken,
  REFRESH_MINUTES,
  refreshToken,
  revokeTokens,
  TOKEN_MINUTES,
  tidyTokens,
} from './service.ts'
