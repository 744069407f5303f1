import type { Schema } from '@kith/client'
import { plural, useWords, words } from '../../app/words.ts'
import { Summary } from '../../ui/summary.tsx'

const WORDS = words({
  answers: [(count: number) => plural(count, 'answer'), (count: number) => `${count} 个回答`],
  bounty: [
    (amount: number) => `Bounty: ${plural(amount, 'point')}`,
    (amount: number) => `悬赏 ${amount} 积分`,
  ],
  excellent: ['Excellent', '精选'],
})

export function QuestionRow({ question }: { question: Schema<'Question'> }) {
  const t = useWords(WORDS)
  const { id, subject, text_body, answers_count, amount, excellent } = question
  const facts = [
    t.answers(answers_count),
    amount > 0 ? t.bounty(amount) : null,
    excellent ? t.excellent : null,
  ]
  return (
    <Summary href={`/questions/${id}`} title={subject} text={text_body}>
      {facts.filter(Boolean).join(' · ')}
    </Summary>
  )
}
