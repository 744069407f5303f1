import { createCast, type Row } from '#test/fixtures/notified.ts'

const { SITE, anna, cleo, as, guest, sql, system, next, made, later, ask, answer, askForLooks, tell } =
  await createCast()

tell('sends notifications of questions and answers', [
  ...[false, true].map(
    (anonymity): Row => ({
      what: `notifies an invited user of ${anonymity ? 'an anonymous' : 'a'} question`,
      async scene(by) {
        const fields = { anonymity, invitations: [{ user: anna.id }] }
        const topic = (await guest('GET', '/question-topics')).body[0].id
        const subject = `What is ${next()}?`
        return later(
          async () => {
            const [row] = await sql<{ id: number }[]>`select id from questions where subject = ${subject}`
            const { id } = row!
            const text = 'You were invited to answer a question.'
            const more = { question: { id, subject } }
            return [
              system(anna, anonymity ? SITE : by, 'qa:invitation', { type: 'questions', id }, text, more),
            ]
          },
          () => as(by, 'POST', '/questions', { subject, topics: [{ id: topic }], ...fields }),
        )
      },
    }),
  ),
  ...[false, true].map(
    (anonymity): Row => ({
      what: `notifies the asker of an${anonymity ? ' anonymous' : ''} answer`,
      async scene(by) {
        const question = await ask(anna)
        return later(
          async () => {
            const [row] = await sql<{ id: number }[]>`
              select id from answers where question_id = ${question}`
            const { id } = row!
            const more = {
              question: { id: question, subject: 'What is the time?' },
              answer: { id, question_id: question, body: 'Half past ten' },
            }
            const about = { type: 'question-answers', id }
            const text = 'Your question was answered.'
            return [system(anna, anonymity ? SITE : by, 'question:answer', about, text, more)]
          },
          () => as(by, 'POST', `/questions/${question}/answers`, { body: 'Half past ten', anonymity }),
        )
      },
    }),
  ),
  ...[false, true].map(
    (anonymity): Row => ({
      what: `notifies the author when ${anonymity ? 'an anonymous' : 'the'} asker adopts an answer`,
      async scene(by) {
        const question = await ask(by, { anonymity })
        const id = await answer(anna, question)
        const more = {
          question: { id: question, subject: 'What is the time?' },
          answer: { id, question_id: question, body: 'Half past ten' },
        }
        const about = { type: 'question-answers', id }
        const sender = anonymity ? SITE : by
        return {
          act: () => as(by, 'PUT', `/questions/${question}/adoptions/${id}`),
          told: [system(anna, sender, 'qa:answer-adoption', about, 'Your answer was adopted.', more)],
        }
      },
    }),
  ),
  {
    what: 'notifies the asker, who receives the fee, of a paid view of an answer',
    async scene(by) {
      const question = await askForLooks(anna, cleo)
      const id = await answer(cleo, question)
      const subject = 'What is the time?'
      const more = {
        question: { id: question, subject },
        answer: { id, question_id: question, body: 'Half past ten' },
        amount: 100,
      }
      const about = { type: 'question-answers', id }
      const text = 'Somebody paid to see an answer to your question.'
      return {
        act: () => as(by, 'POST', `/question-answers/${id}/onlookers`),
        told: [system(anna, by, 'qa:onlook', about, text, more)],
      }
    },
  },
  ...(['accept', 'reject'] as const).flatMap((action): Row[] => [
    {
      what: `notifies the proposer when an administrator ${action}s a question topic`,
      site: true,
      async scene(by) {
        const name = `Proposal ${next()}`
        const proposal = { name, description: 'So it is' }
        made(await as(anna, 'POST', '/user/question-topics/application', proposal))
        const list = '/admin/question-topic-applications?sort=id&order=desc'
        const { id } = (await as(by, 'GET', list)).body.data[0]
        const state = action === 'accept' ? 'passed' : 'rejected'
        return later(
          async () => {
            const [topic] = await sql<{ id: number }[]>`select id from question_topics where name = ${name}`
            const more = {
              state,
              topic_application: { id, name, mark: null },
              topic: { id: topic?.id ?? 0, name },
            }
            const text = `The topic you proposed was ${action}ed.`
            const about = { type: 'question-topics', id: topic?.id ?? 0 }
            return [system(anna, SITE, `qa:question-topic:${action}`, about, text, more)]
          },
          () => as(by, 'PATCH', `/admin/question-topic-applications/${id}`, { action }),
        )
      },
    },
    {
      what: `notifies the asker when an administrator ${action}s a request to mark a question as excellent`,
      site: true,
      async scene(by) {
        const question = await ask(anna)
        made(await as(anna, 'POST', `/user/question-application/${question}`))
        const list = '/admin/question-applications?sort=id&order=desc'
        const { id } = (await as(by, 'GET', list)).body.data[0]
        const state = action === 'accept' ? 'passed' : 'rejected'
        const subject = 'What is the time?'
        const application = { question_id: question, question: { subject } }
        const more = { state, question: { id: question, subject }, application }
        const text =
          action === 'accept'
            ? 'Your question was marked as excellent.'
            : 'The request to mark your question as excellent was rejected.'
        const about = { type: 'questions', id: question }
        return {
          act: () => as(by, 'PATCH', `/admin/question-applications/${id}`, { action }),
          told: [system(anna, SITE, `qa:question-excellent:${action}`, about, text, more)],
        }
      },
    },
  ]),
])
