import { useContext } from 'react'
import { EditContext, ShowContext } from 'react-admin'
import { Missing } from '../shell/not-found.tsx'
import { ErrorState } from '../shell/states.tsx'
import type { Area } from './area.ts'

/** Displays a load error on the page. React-admin would return to the list by default. */
export const QUIET = { onError: () => {}, retry: false }

export function Gone({ area }: { area: Area }) {
  const shown = useContext(ShowContext)
  const edited = useContext(EditContext)
  const { error, refetch } = shown ?? edited ?? {}
  if ((error as { status?: number } | null)?.status !== 404)
    return error ? <ErrorState error={error} retry={() => void refetch?.()} /> : null
  return (
    <Missing
      text={[`This ${area.noun[0]} does not exist.`, `此${area.noun[1]}不存在。`]}
      note={['It was deleted, or the URL is wrong.', '可能已被删除，或网址有误。']}
      to={`/${area.name}`}
      label={area.label}
    />
  )
}
