package api

// Examples that work as they are pasted against the demo data, in this order,
// with URL and TOKEN set. The tests run them.
const (
	curlDelivery = `REQUEST=request-$(date +%s)
curl -sS "$URL/api/v1/deliveries" -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -d '{"workflow": "service-request", "environment": "sandbox", "sender": "web-form",
       "event_id": "event-of-'"$REQUEST"'", "business_record_id": "'"$REQUEST"'", "source_version": 1}'`

	curlClaim = `ANSWER=$(curl -sS "$URL/api/v1/actions/claim" -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -H "Idempotency-Key: $(cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen)" \
  -d '{"control": "create-crm-task", "environment": "sandbox", "input": {"request_id": "'"$REQUEST"'"}, "worker": "shell-'$$-$(date +%s)'"}')
echo "$ANSWER"
ACTION=$(echo "$ANSWER" | sed -n 's/.*"action_id":"\([0-9]*\)".*/\1/p')
CLAIM=$(echo "$ANSWER" | sed -n 's/.*"claim_token":"\([^"]*\)".*/\1/p')`

	curlHeartbeat = `curl -sS "$URL/api/v1/actions/$ACTION/heartbeat" -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -d '{"claim_token": "'"$CLAIM"'"}'`

	curlOutcome = `curl -sS "$URL/api/v1/actions/$ACTION/outcome" -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -d '{"claim_token": "'"$CLAIM"'", "outcome": "unknown", "detail": "The destination did not answer."}'`

	curlLookup = `curl -sS "$URL/api/v1/actions/$ACTION/lookups" -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -d '{"method": "GET /tasks?external_reference=", "result": "not_found"}'`

	curlRetry = `# A failed action first: claimed, and certainly not sent.
ANSWER=$(curl -sS "$URL/api/v1/actions/claim" -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -d '{"control": "send-confirmation", "environment": "sandbox", "input": {"request_id": "'"$REQUEST"'"}, "worker": "shell-'$$-$(date +%s)'"}')
FAILED=$(echo "$ANSWER" | sed -n 's/.*"action_id":"\([0-9]*\)".*/\1/p')
curl -sS -o /dev/null "$URL/api/v1/actions/$FAILED/outcome" -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -d '{"claim_token": "'"$(echo "$ANSWER" | sed -n 's/.*"claim_token":"\([^"]*\)".*/\1/p')"'", "outcome": "failed", "detail": "Not sent: the queue was full."}'
# Then again, within the automatic retries.
curl -sS "$URL/api/v1/actions/$FAILED/retry" -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -d '{"worker": "shell-'$$-$(date +%s)'"}'`

	curlAsk = `ANSWER=$(curl -sS "$URL/api/v1/actions/$ACTION/replay-requests" -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -d '{"reason": "The destination did not answer.", "uncertain_result": "Whether the task exists."}')
echo "$ANSWER"
REF=$(echo "$ANSWER" | sed -n 's/.*"ref":"\([^"]*\)".*/\1/p')`

	curlReplay = `# Approve the request in the queue first, as approver@example.test.
ANSWER=$(curl -sS "$URL/api/v1/replay-requests/$REF" -H "Authorization: Bearer $TOKEN")
echo "$ANSWER"
AUTHORIZATION=$(echo "$ANSWER" | sed -n 's/.*"authorization":"\([^"]*\)".*/\1/p')`

	curlStart = `curl -sS "$URL/api/v1/replay-requests/$REF/start" -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -d '{"authorization": "'"$AUTHORIZATION"'", "worker": "shell-'$$-$(date +%s)'"}'`

	curlRecord = `curl -sS "$URL/api/v1/actions/$ACTION" -H "Authorization: Bearer $TOKEN"`

	curlGate = `curl -sS "$URL/api/v1/controls/create-crm-task/gate?environment=sandbox" -H "Authorization: Bearer $TOKEN"`

	curlReview = `# A delivery without an event ID goes to review.
REVIEW=$(curl -sS "$URL/api/v1/deliveries" -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -d '{"workflow": "service-request", "environment": "sandbox", "sender": "web-form", "business_record_id": "'"$REQUEST"'"}' | sed -n 's/.*"review":"\([^"]*\)".*/\1/p')
curl -sS "$URL/api/v1/reviews/$REVIEW" -H "Authorization: Bearer $TOKEN"`
)
