import { read, useRead, useWrite } from '../../../app/api.ts'
import { useConfirm } from '../../../app/confirm.tsx'
import { useSite } from '../../../app/site.ts'
import { useToast } from '../../../app/toast.tsx'
import { useWords, words } from '../../../app/words.ts'
import { Facts, Time } from '../../../ui/time.tsx'
import { depart, useProviders } from '../outside.tsx'

const WORDS = words({
  title: ['Linked accounts', '第三方账号'],
  text: ['Link an account of another service to sign in with it.', '绑定第三方账号后，可用它登录本站。'],
  link: ['Link', '绑定'],
  unlink: ['Unlink', '解绑'],
  unlinked: ['The account was unlinked.', '已解绑。'],
  sure: [
    'Unlink this account? You will no longer be able to sign in with it.',
    '确定要解绑吗？解绑后将无法用它登录。',
  ],
  none: ['Not linked', '未绑定'],
  since: ['Linked ', '绑定时间：'],
  used: ['last used ', '最近使用：'],
})

export const linkedOf = () => read('/user/linked-accounts')

export function Linked() {
  const t = useWords(WORDS)
  const { api } = useSite()
  const { say, fail } = useToast()
  const confirm = useConfirm()
  const { data: links = [] } = useRead(linkedOf())
  const providers = useProviders()
  const unlink = useWrite<string>(
    (client, provider) => client.delete('/user/socialite/{provider}', { params: { path: { provider } } }),
    { changes: ['/user/linked-accounts'], onSuccess: () => say(t.unlinked) },
  )
  // Includes links of providers that are no longer configured, so that users can remove them.
  const names = [...new Set([...providers.map(({ name }) => name), ...links.map(({ provider }) => provider)])]
  if (names.length === 0) return null
  return (
    <>
      <hr />
      <h2>{t.title}</h2>
      <p class="quiet">{t.text}</p>
      <ul class="rows">
        {names.map((name) => {
          const found = links.find(({ provider }) => provider === name)
          const label = providers.find((each) => each.name === name)?.label ?? name
          return (
            <li key={name}>
              <div>
                <p class="name" dir="auto">
                  {label}
                </p>
                <p class="quiet">
                  {found ? (
                    <Facts
                      of={[
                        [t.since, <Time key="since" at={found.linked_at} />],
                        found.used_at && [t.used, <Time key="used" at={found.used_at} />],
                      ]}
                    />
                  ) : (
                    t.none
                  )}
                </p>
              </div>
              <button
                type="button"
                class="button is-quiet"
                aria-label={`${found ? t.unlink : t.link}: ${label}`}
                onClick={async () => {
                  if (!found)
                    return void depart(api, {
                      provider: name,
                      purpose: 'link',
                      next: location.pathname,
                    }).catch(fail)
                  if (await confirm(t.sure, t.unlink)) unlink.mutate(name, { onError: fail })
                }}
              >
                {found ? t.unlink : t.link}
              </button>
            </li>
          )
        })}
      </ul>
    </>
  )
}
