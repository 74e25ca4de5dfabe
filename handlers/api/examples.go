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

	curlRetry = `curl -sS "$URL/api/v1/actions/$ACTION/retry" -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -d '{"worker": "shell-'$$-$(date +%s)'"}'`

	curlAsk = `ANSWER=$(curl -sS "$URL/api/v1/actions/$ACTION/replay-requests" -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -d '{"reason": "The destination did not answer.", "uncertain_result": "Whether the task exists."}')
echo "$ANSWER"
REF=$(echo "$ANSWER" | sed -n 's/.*"ref":"\([^"]*\)".*/\1/p')`

	// Afterwards somebody approves the request in the queue, as approver@example.test.
	curlReplay = `ANSWER=$(curl -sS "$URL/api/v1/replay-requests/$REF" -H "Authorization: Bearer $TOKEN")
echo "$ANSWER"
AUTHORIZATION=$(echo "$ANSWER" | sed -n 's/.*"authorization":"\([^"]*\)".*/\1/p')`

	curlStart = `curl -sS "$URL/api/v1/replay-requests/$REF/start" -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -d '{"authorization": "'"$AUTHORIZATION"'", "worker": "shell-'$$-$(date +%s)'"}'`

	curlRecord = `curl -sS "$URL/api/v1/actions/$ACTION" -H "Authorization: Bearer $TOKEN"`

	curlGate = `curl -sS "$URL/api/v1/controls/create-crm-task/gate?environment=sandbox" -H "Authorization: Bearer $TOKEN"`

	curlReview = `curl -sS "$URL/api/v1/reviews/RV-1" -H "Authorization: Bearer $TOKEN"`
)
