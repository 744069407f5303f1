import { setting } from '#modules/settings/index.ts'
import { Int, Nullable } from '#platform/http'

export const BOOTSTRAP_SETTINGS = {
  'im:helper-user': setting(Nullable(Int(1, Number.MAX_SAFE_INTEGER)), null, {
    label: ['Support account', '客服账号'],
    help: ['ID of the user whom clients suggest for questions.', '客户端推荐用户咨询的账号，填写用户编号。'],
  }),
}
