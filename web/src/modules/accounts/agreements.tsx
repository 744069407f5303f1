import { useSite } from '../../app/site.ts'
import { useWords, words } from '../../app/words.ts'

const WORDS = words({ agree: ['I agree to:', '我已阅读并同意：'] })

/** Pages that new users agree to. */
export const useAgreements = () =>
  useSite().settings.pages.filter(({ agreed_version: version }) => version !== undefined)

/** The field `agreed` of a registration: `12,15`. */
export const agreedVersions = (pages: ReturnType<typeof useAgreements>): string =>
  pages.map(({ agreed_version: version }) => version).join(',')

export function Agreements({ isChecked = false }: { isChecked?: boolean }) {
  const t = useWords(WORDS)
  const pages = useAgreements()
  if (pages.length === 0) return null
  return (
    <label class="check">
      <input
        type="checkbox"
        name="agreed"
        value={agreedVersions(pages)}
        defaultChecked={isChecked}
        required
      />
      <span>
        {t.agree}{' '}
        {pages.map(({ slug, title }, n) => (
          <>
            {n > 0 && ', '}
            <a key={slug} href={`/pages/${slug}`} target="_blank" rel="noopener">
              {title}
            </a>
          </>
        ))}
      </span>
    </label>
  )
}
