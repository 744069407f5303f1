import { definePage } from '../../app/page.ts'
import { useWords, words } from '../../app/words.ts'

const WORDS = words({
  title: ['Weekly mail', '每周邮件'],
  ask: ['Do you want to end the weekly mail?', '确定要退订每周邮件吗？'],
  end: ['End the weekly mail', '退订'],
  done: ['You will receive no more weekly mails.', '已退订，您不会再收到每周邮件。'],
})

/** The form is sent without scripts, because a mail opens it in a browser that may not be signed in. */
export const page = definePage({
  head: ({ language }) => ({ title: WORDS[language].title, isPrivate: true }),
  body: ({ visit: { search, posted } }) => {
    const t = useWords(WORDS)
    const token = posted?.fields.token ?? search.get('token') ?? ''
    return (
      <section class="form card">
        <h1>{t.title}</h1>
        {posted?.step === 'waiting' ? (
          <p role="status">{t.done}</p>
        ) : (
          <form class="fields" method="post" action="/unsubscribe">
            <p>{t.ask}</p>
            {posted?.failure && (
              <p class="failure" role="alert">
                {posted.failure}
              </p>
            )}
            <input type="hidden" name="token" value={token} />
            <button class="button" type="submit">
              {t.end}
            </button>
          </form>
        )}
      </section>
    )
  },
})
