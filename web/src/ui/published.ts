import { useQueryClient } from '@tanstack/preact-query'
import { useLocation } from 'wouter-preact'
import { scrollBehavior } from '../app/motion.ts'

/**
 * Brings new content on screen. Refreshes the lists and scrolls to the content. Opens its page when the lists do not
 * contain it, as a list of hot posts.
 */
export function useShowPublished() {
  const cache = useQueryClient()
  const [, navigate] = useLocation()
  return async (changes: string[], id: string, page?: string) => {
    const { href } = location
    await Promise.all(changes.map((path) => cache.invalidateQueries({ queryKey: [path] })))
    // The query cache notifies the lists in a timer of its own before this one.
    await new Promise((resolve) => setTimeout(resolve))
    if (location.href !== href) return
    const element = document.getElementById(id)
    if (element) element.scrollIntoView({ block: 'nearest', behavior: scrollBehavior() })
    else if (page) navigate(page)
  }
}
