import { Link } from 'wouter-preact'
import { useWords, words } from '../app/words.ts'

const WORDS = words({
  likes: [
    (count: number) => (count === 1 ? 'Liked by 1 person' : `Liked by ${count} people`),
    (count: number) => `${count} 人赞过`,
  ],
  rewards: ['Rewards', '打赏记录'],
})

export function Supporters({ path, likes }: { path: string; likes: number }) {
  const t = useWords(WORDS)
  return (
    <p class="supporters quiet">
      {likes > 0 && <Link href={`${path}/likes`}>{t.likes(likes)}</Link>}
      <Link href={`${path}/rewards`}>{t.rewards}</Link>
    </p>
  )
}
