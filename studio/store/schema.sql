CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE gallery (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	origin VARCHAR NOT NULL, 
	source VARCHAR NOT NULL, 
	config JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	CONSTRAINT pk_gallery PRIMARY KEY (id)
);

CREATE TABLE secret (
	name VARCHAR NOT NULL, 
	encrypted BLOB NOT NULL, 
	updated_at DATETIME NOT NULL, 
	CONSTRAINT pk_secret PRIMARY KEY (name)
);

CREATE TABLE team (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	summary VARCHAR NOT NULL, 
	revision INTEGER NOT NULL, 
	component JSON NOT NULL, 
	layout JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, publisher VARCHAR DEFAULT '' NOT NULL, listing VARCHAR DEFAULT 'active' NOT NULL, trashed_at DATETIME, 
	CONSTRAINT pk_team PRIMARY KEY (id)
);

CREATE TABLE run (
	id VARCHAR NOT NULL, 
	team_id VARCHAR, 
	team_name VARCHAR NOT NULL, 
	task_text VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	reason VARCHAR NOT NULL, 
	detail VARCHAR NOT NULL, 
	pending JSON, 
	prompt_tokens INTEGER NOT NULL, 
	completion_tokens INTEGER NOT NULL, 
	epoch INTEGER NOT NULL, 
	last_seq INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	started_at DATETIME, 
	ended_at DATETIME, parent_id VARCHAR, root_id VARCHAR, session_id VARCHAR, parent_seq INTEGER DEFAULT '0' NOT NULL, origin VARCHAR DEFAULT '' NOT NULL, micro_usd INTEGER DEFAULT '0' NOT NULL, unpriced_calls INTEGER DEFAULT '0' NOT NULL, title VARCHAR DEFAULT '' NOT NULL, team_revision INTEGER, listing VARCHAR DEFAULT 'active' NOT NULL, trashed_at DATETIME, 
	CONSTRAINT pk_run PRIMARY KEY (id), 
	CONSTRAINT fk_run_team_id_team FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE SET NULL
);

CREATE INDEX ix_run_state ON run (state);

CREATE TABLE team_version (
	team_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	note VARCHAR NOT NULL, 
	component JSON NOT NULL, 
	layout JSON NOT NULL, 
	at DATETIME NOT NULL, title VARCHAR DEFAULT '' NOT NULL, changes VARCHAR DEFAULT '' NOT NULL, author VARCHAR DEFAULT '' NOT NULL, kind VARCHAR DEFAULT '' NOT NULL, 
	CONSTRAINT pk_team_version PRIMARY KEY (team_id, number), 
	CONSTRAINT fk_team_version_team_id_team FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);

CREATE TABLE run_event (
	run_id VARCHAR NOT NULL, 
	seq INTEGER NOT NULL, 
	epoch INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	kind VARCHAR NOT NULL, 
	body JSON NOT NULL, 
	CONSTRAINT pk_run_event PRIMARY KEY (run_id, seq), 
	CONSTRAINT fk_run_event_run_id_run FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE
);

CREATE TABLE run_start (
	run_id VARCHAR NOT NULL, 
	component JSON NOT NULL, 
	task JSON NOT NULL, changes JSON DEFAULT '{}' NOT NULL, 
	CONSTRAINT pk_run_start PRIMARY KEY (run_id), 
	CONSTRAINT fk_run_start_run_id_run FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE
);

CREATE INDEX ix_run_parent_id ON run (parent_id);

CREATE INDEX ix_run_root_id ON run (root_id);

CREATE INDEX ix_run_session_id ON run (session_id);

CREATE TABLE spending (
	run_id VARCHAR NOT NULL, 
	day VARCHAR NOT NULL, 
	agent VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	team_id VARCHAR NOT NULL, 
	team_name VARCHAR NOT NULL, 
	calls INTEGER NOT NULL, 
	prompt_tokens INTEGER NOT NULL, 
	completion_tokens INTEGER NOT NULL, 
	cached_tokens INTEGER NOT NULL, 
	micro_usd INTEGER NOT NULL, 
	unpriced_calls INTEGER NOT NULL, 
	ms INTEGER NOT NULL, 
	CONSTRAINT pk_spending PRIMARY KEY (run_id, day, agent, kind, name)
);

CREATE INDEX ix_spending_day_team_id ON spending (day, team_id);

CREATE INDEX ix_spending_team_id ON spending (team_id);

CREATE TABLE own_price (
	model VARCHAR NOT NULL, 
	input FLOAT NOT NULL, 
	output FLOAT NOT NULL, 
	cached_input FLOAT, 
	as_of VARCHAR NOT NULL, 
	CONSTRAINT pk_own_price PRIMARY KEY (model)
);

CREATE TABLE budget (
	scope VARCHAR NOT NULL, 
	limits JSON NOT NULL, 
	CONSTRAINT pk_budget PRIMARY KEY (scope)
);

CREATE TABLE team_settings (
	team_id VARCHAR NOT NULL, 
	breakpoints JSON NOT NULL, 
	policy JSON NOT NULL, examples JSON DEFAULT '[]' NOT NULL, 
	CONSTRAINT pk_team_settings PRIMARY KEY (team_id), 
	CONSTRAINT fk_team_settings_team_id_team FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);

CREATE TABLE approval (
	id VARCHAR NOT NULL, 
	hash VARCHAR NOT NULL, 
	scope VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	detail VARCHAR NOT NULL, 
	hosts JSON NOT NULL, 
	"by" VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	revoked_by VARCHAR NOT NULL, 
	revoked_at DATETIME, 
	CONSTRAINT pk_approval PRIMARY KEY (id)
);

CREATE INDEX ix_approval_hash_scope ON approval (hash, scope);

CREATE TABLE team_review (
	team_id VARCHAR NOT NULL, 
	items JSON NOT NULL, 
	"by" VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_team_review PRIMARY KEY (team_id), 
	CONSTRAINT fk_team_review_team_id_team FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);

CREATE TABLE user (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	role VARCHAR NOT NULL, 
	password VARCHAR NOT NULL, 
	identity VARCHAR, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_user PRIMARY KEY (id)
);

CREATE UNIQUE INDEX ix_user_name ON user (name);

CREATE UNIQUE INDEX ix_user_identity ON user (identity);

CREATE TABLE sign_in (
	id VARCHAR NOT NULL, 
	user_id VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	label VARCHAR NOT NULL, 
	key_hash VARCHAR NOT NULL, 
	address VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	seen_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	CONSTRAINT pk_sign_in PRIMARY KEY (id), 
	CONSTRAINT fk_sign_in_user_id_user FOREIGN KEY(user_id) REFERENCES user (id) ON DELETE CASCADE
);

CREATE INDEX ix_sign_in_user_id ON sign_in (user_id);

CREATE UNIQUE INDEX ix_sign_in_key_hash ON sign_in (key_hash);

CREATE TABLE audit_entry (
	id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	who VARCHAR NOT NULL, 
	action VARCHAR NOT NULL, 
	object VARCHAR NOT NULL, 
	address VARCHAR NOT NULL, 
	outcome VARCHAR NOT NULL, 
	CONSTRAINT pk_audit_entry PRIMARY KEY (id)
);

CREATE INDEX ix_audit_entry_at ON audit_entry (at);

CREATE INDEX ix_run_team_id_created_at_id ON run (team_id, created_at, id);

CREATE INDEX ix_audit_entry_who_id ON audit_entry (who, id);

CREATE TABLE model_connection (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	component JSON NOT NULL, 
	is_default BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_model_connection PRIMARY KEY (id)
);

CREATE UNIQUE INDEX ix_model_connection_name ON model_connection (name);

CREATE INDEX ix_approval_revoked_at_at_id ON approval (revoked_at, at, id);

CREATE INDEX ix_team_listing_updated_at_id ON team (listing, updated_at, id);

CREATE INDEX ix_run_listing_created_at_id_team_id ON run (listing, created_at, id, team_id);

CREATE TABLE tag (
	kind VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	object_id VARCHAR NOT NULL, 
	CONSTRAINT pk_tag PRIMARY KEY (kind, name, object_id)
);

CREATE INDEX ix_tag_kind_object_id ON tag (kind, object_id);

CREATE TABLE star (
	user_id VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	object_id VARCHAR NOT NULL, 
	CONSTRAINT pk_star PRIMARY KEY (user_id, kind, object_id)
);

CREATE INDEX ix_star_kind_object_id ON star (kind, object_id);

CREATE TABLE deployment (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	team_id VARCHAR, 
	team_name VARCHAR NOT NULL, 
	summary VARCHAR NOT NULL, 
	settings JSON NOT NULL, 
	live INTEGER NOT NULL, 
	is_on BOOLEAN NOT NULL, 
	"by" VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, canary INTEGER, canary_percent INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_deployment PRIMARY KEY (id), 
	CONSTRAINT fk_deployment_team_id_team FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE SET NULL
);

CREATE UNIQUE INDEX ix_deployment_name ON deployment (name);

CREATE INDEX ix_deployment_team_id ON deployment (team_id);

CREATE TABLE release (
	deployment_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	team_revision INTEGER NOT NULL, 
	component JSON NOT NULL, 
	note VARCHAR NOT NULL, 
	"by" VARCHAR NOT NULL, 
	at DATETIME NOT NULL, live_at DATETIME, 
	CONSTRAINT pk_release PRIMARY KEY (deployment_id, number), 
	CONSTRAINT fk_release_deployment_id_deployment FOREIGN KEY(deployment_id) REFERENCES deployment (id) ON DELETE CASCADE
);

CREATE TABLE caller_key (
	id VARCHAR NOT NULL, 
	deployment_id VARCHAR NOT NULL, 
	label VARCHAR NOT NULL, 
	key_hash VARCHAR NOT NULL, 
	ending VARCHAR NOT NULL, 
	"by" VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME, 
	seen_at DATETIME, 
	revoked_at DATETIME, opens VARCHAR DEFAULT 'calls' NOT NULL, 
	CONSTRAINT pk_caller_key PRIMARY KEY (id), 
	CONSTRAINT fk_caller_key_deployment_id_deployment FOREIGN KEY(deployment_id) REFERENCES deployment (id) ON DELETE CASCADE
);

CREATE INDEX ix_caller_key_deployment_id ON caller_key (deployment_id);

CREATE UNIQUE INDEX ix_caller_key_key_hash ON caller_key (key_hash);

CREATE TABLE call (
	id VARCHAR NOT NULL, 
	deployment_id VARCHAR NOT NULL, 
	release INTEGER NOT NULL, 
	key_id VARCHAR NOT NULL, 
	thread VARCHAR NOT NULL, 
	position INTEGER NOT NULL, 
	protocol VARCHAR NOT NULL, 
	idempotency VARCHAR, 
	request_hash VARCHAR NOT NULL, 
	said_hash VARCHAR NOT NULL, 
	address VARCHAR NOT NULL, 
	at DATETIME NOT NULL, deleted_at DATETIME, 
	CONSTRAINT pk_call PRIMARY KEY (id), 
	CONSTRAINT fk_call_deployment_id_deployment FOREIGN KEY(deployment_id) REFERENCES deployment (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_call_key_id_thread_position ON call (key_id, thread, position);

CREATE UNIQUE INDEX ix_call_key_id_idempotency ON call (key_id, idempotency);

CREATE INDEX ix_call_key_id_said_hash ON call (key_id, said_hash);

CREATE INDEX ix_call_deployment_id_at ON call (deployment_id, at);

CREATE TABLE run_submission (
	run_id VARCHAR NOT NULL, 
	body JSON NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_run_submission PRIMARY KEY (run_id), 
	CONSTRAINT fk_run_submission_run_id_run FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE
);

CREATE TABLE run_command (
	id INTEGER NOT NULL, 
	run_id VARCHAR NOT NULL, 
	body JSON NOT NULL, 
	outcome JSON, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_run_command PRIMARY KEY (id), 
	CONSTRAINT fk_run_command_run_id_run FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE
);

CREATE INDEX ix_run_command_run_id ON run_command (run_id);

CREATE TABLE run_live (
	run_id VARCHAR NOT NULL, 
	"view" JSON NOT NULL, 
	written JSON NOT NULL, 
	CONSTRAINT pk_run_live PRIMARY KEY (run_id), 
	CONSTRAINT fk_run_live_run_id_run FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE
);

CREATE TABLE open_window (
	team_id VARCHAR NOT NULL, 
	user_id VARCHAR NOT NULL, 
	tab VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	pointer VARCHAR NOT NULL, 
	seen_at DATETIME NOT NULL, 
	CONSTRAINT pk_open_window PRIMARY KEY (team_id, user_id, tab), 
	CONSTRAINT fk_open_window_team_id_team FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);

CREATE INDEX ix_open_window_seen_at ON open_window (seen_at);

CREATE TABLE webhook (
	id VARCHAR NOT NULL, 
	deployment_id VARCHAR NOT NULL, 
	address VARCHAR NOT NULL, 
	encrypted_secret BLOB NOT NULL, 
	kinds VARCHAR NOT NULL, 
	shows_answer BOOLEAN NOT NULL, 
	is_on BOOLEAN NOT NULL, 
	"by" VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_webhook PRIMARY KEY (id), 
	CONSTRAINT fk_webhook_deployment_id_deployment FOREIGN KEY(deployment_id) REFERENCES deployment (id) ON DELETE CASCADE
);

CREATE INDEX ix_webhook_deployment_id ON webhook (deployment_id);

CREATE TABLE delivery (
	id VARCHAR NOT NULL, 
	webhook_id VARCHAR NOT NULL, 
	call_id VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	next_at DATETIME, 
	attempts INTEGER NOT NULL, 
	is_delivered BOOLEAN NOT NULL, 
	status INTEGER, 
	answer VARCHAR NOT NULL, 
	CONSTRAINT pk_delivery PRIMARY KEY (id), 
	CONSTRAINT fk_delivery_webhook_id_webhook FOREIGN KEY(webhook_id) REFERENCES webhook (id) ON DELETE CASCADE
);

CREATE INDEX ix_delivery_webhook_id_at ON delivery (webhook_id, at);

CREATE INDEX ix_delivery_next_at ON delivery (next_at);

CREATE INDEX ix_delivery_at ON delivery (at);

CREATE TABLE worker (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	started_at DATETIME NOT NULL, 
	seen_at DATETIME NOT NULL, 
	is_draining BOOLEAN NOT NULL, 
	CONSTRAINT pk_worker PRIMARY KEY (id)
);

CREATE TABLE run_driver (
	run_id VARCHAR NOT NULL, 
	worker_id VARCHAR NOT NULL, 
	CONSTRAINT pk_run_driver PRIMARY KEY (run_id), 
	CONSTRAINT fk_run_driver_run_id_run FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE, 
	CONSTRAINT fk_run_driver_worker_id_worker FOREIGN KEY(worker_id) REFERENCES worker (id) ON DELETE CASCADE
);

CREATE INDEX ix_run_driver_worker_id ON run_driver (worker_id);

CREATE TABLE spending_hold (
	id VARCHAR NOT NULL, 
	day VARCHAR NOT NULL, 
	team_id VARCHAR NOT NULL, 
	tokens INTEGER NOT NULL, 
	micro_usd INTEGER NOT NULL, 
	CONSTRAINT pk_spending_hold PRIMARY KEY (id)
);

CREATE INDEX ix_spending_hold_day ON spending_hold (day);

CREATE TABLE wrong_guess (
	subject VARCHAR NOT NULL, 
	began_at DATETIME NOT NULL, 
	guesses INTEGER NOT NULL, 
	CONSTRAINT pk_wrong_guess PRIMARY KEY (subject)
);

CREATE INDEX ix_wrong_guess_began_at ON wrong_guess (began_at);

CREATE TABLE schedule (
	id VARCHAR NOT NULL, 
	deployment_id VARCHAR NOT NULL, 
	cron VARCHAR NOT NULL, 
	zone VARCHAR NOT NULL, 
	task VARCHAR NOT NULL, 
	is_on BOOLEAN NOT NULL, 
	"by" VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	due_at DATETIME, 
	CONSTRAINT pk_schedule PRIMARY KEY (id), 
	CONSTRAINT fk_schedule_deployment_id_deployment FOREIGN KEY(deployment_id) REFERENCES deployment (id) ON DELETE CASCADE
);

CREATE INDEX ix_schedule_deployment_id ON schedule (deployment_id);

CREATE INDEX ix_schedule_due_at ON schedule (due_at);

CREATE TABLE firing (
	schedule_id VARCHAR NOT NULL, 
	due_at DATETIME NOT NULL, 
	task VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	call_id VARCHAR, 
	detail VARCHAR NOT NULL, 
	try_at DATETIME, 
	CONSTRAINT pk_firing PRIMARY KEY (schedule_id, due_at), 
	CONSTRAINT fk_firing_schedule_id_schedule FOREIGN KEY(schedule_id) REFERENCES schedule (id) ON DELETE CASCADE
);

CREATE INDEX ix_firing_try_at ON firing (try_at);

CREATE TABLE used_state (
	state_hash VARCHAR NOT NULL, 
	expires_at DATETIME NOT NULL, 
	CONSTRAINT pk_used_state PRIMARY KEY (state_hash)
);

CREATE INDEX ix_used_state_expires_at ON used_state (expires_at);

CREATE TABLE file (
	sha256 VARCHAR NOT NULL, 
	upload_id VARCHAR NOT NULL, 
	size INTEGER NOT NULL, 
	media_type VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_file PRIMARY KEY (sha256)
);

CREATE UNIQUE INDEX ix_file_upload_id ON file (upload_id);

CREATE INDEX ix_file_at ON file (at);

CREATE TABLE file_portion (
	upload_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	content BLOB NOT NULL, 
	CONSTRAINT pk_file_portion PRIMARY KEY (upload_id, number)
);

CREATE TABLE file_upload (
	id VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_file_upload PRIMARY KEY (id)
);

CREATE INDEX ix_file_upload_at ON file_upload (at);

CREATE TABLE run_file (
	run_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	sha256 VARCHAR NOT NULL, 
	direction VARCHAR NOT NULL, 
	agent VARCHAR NOT NULL, 
	seq INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_run_file PRIMARY KEY (run_id, number), 
	CONSTRAINT fk_run_file_run_id_run FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE, 
	CONSTRAINT fk_run_file_sha256_file FOREIGN KEY(sha256) REFERENCES file (sha256)
);

CREATE INDEX ix_run_file_sha256 ON run_file (sha256);

CREATE TABLE hook (
	id VARCHAR NOT NULL, 
	deployment_id VARCHAR NOT NULL, 
	label VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	encrypted_secret BLOB NOT NULL, 
	task VARCHAR NOT NULL, 
	is_on BOOLEAN NOT NULL, 
	"by" VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_hook PRIMARY KEY (id), 
	CONSTRAINT fk_hook_deployment_id_deployment FOREIGN KEY(deployment_id) REFERENCES deployment (id) ON DELETE CASCADE
);

CREATE INDEX ix_hook_deployment_id ON hook (deployment_id);

CREATE TABLE team_suite (
	id VARCHAR NOT NULL, 
	team_id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	revision INTEGER NOT NULL, 
	case_count INTEGER NOT NULL, 
	document JSON NOT NULL, 
	"by" VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	CONSTRAINT pk_team_suite PRIMARY KEY (id), 
	CONSTRAINT fk_team_suite_team_id_team FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);

CREATE INDEX ix_team_suite_team_id ON team_suite (team_id);

CREATE TABLE evaluation (
	id VARCHAR NOT NULL, 
	suite_id VARCHAR NOT NULL, 
	team_id VARCHAR NOT NULL, 
	suite_revision INTEGER NOT NULL, 
	suite_name VARCHAR NOT NULL, 
	document JSON NOT NULL, 
	repeats INTEGER NOT NULL, 
	at_once INTEGER NOT NULL, 
	micro_usd INTEGER, 
	tokens INTEGER, 
	cell_count INTEGER NOT NULL, 
	state VARCHAR NOT NULL, 
	detail VARCHAR NOT NULL, 
	"by" VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	ended_at DATETIME, reuse_days INTEGER, confirms_id VARCHAR, only_tag VARCHAR DEFAULT '' NOT NULL, without_tag VARCHAR DEFAULT '' NOT NULL, stops_when_clear BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_evaluation PRIMARY KEY (id), 
	CONSTRAINT fk_evaluation_suite_id_team_suite FOREIGN KEY(suite_id) REFERENCES team_suite (id) ON DELETE CASCADE, 
	CONSTRAINT fk_evaluation_team_id_team FOREIGN KEY(team_id) REFERENCES team (id) ON DELETE CASCADE
);

CREATE INDEX ix_evaluation_suite_id_created_at ON evaluation (suite_id, created_at);

CREATE INDEX ix_evaluation_team_id_created_at ON evaluation (team_id, created_at);

CREATE INDEX ix_evaluation_ended_at ON evaluation (ended_at);

CREATE TABLE evaluation_version (
	evaluation_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	team_name VARCHAR NOT NULL, 
	component JSON NOT NULL, 
	CONSTRAINT pk_evaluation_version PRIMARY KEY (evaluation_id, number), 
	CONSTRAINT fk_evaluation_version_evaluation_id_evaluation FOREIGN KEY(evaluation_id) REFERENCES evaluation (id) ON DELETE CASCADE
);

CREATE TABLE evaluation_cell (
	evaluation_id VARCHAR NOT NULL, 
	position INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	case_key VARCHAR NOT NULL, 
	epoch INTEGER NOT NULL, 
	run_id VARCHAR NOT NULL, 
	attempt INTEGER NOT NULL, 
	state VARCHAR NOT NULL, 
	verdict VARCHAR NOT NULL, 
	detail VARCHAR NOT NULL, 
	scores JSON NOT NULL, 
	aside_micro_usd INTEGER, 
	aside_tokens INTEGER, 
	micro_usd INTEGER NOT NULL, 
	used_tokens INTEGER NOT NULL, 
	try_at DATETIME, twin_run_id VARCHAR DEFAULT '' NOT NULL, twin_position INTEGER, reused_count INTEGER DEFAULT '0' NOT NULL, asked_count INTEGER DEFAULT '0' NOT NULL, saved_micro_usd INTEGER DEFAULT '0' NOT NULL, saved_tokens INTEGER DEFAULT '0' NOT NULL, reused_since DATETIME, 
	CONSTRAINT pk_evaluation_cell PRIMARY KEY (evaluation_id, position), 
	CONSTRAINT fk_evaluation_cell_evaluation_id_evaluation FOREIGN KEY(evaluation_id) REFERENCES evaluation (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_evaluation_cell_run_id ON evaluation_cell (run_id);

CREATE INDEX ix_evaluation_cell_evaluation_id_state_position ON evaluation_cell (evaluation_id, state, position);

CREATE INDEX ix_evaluation_confirms_id ON evaluation (confirms_id);

CREATE TABLE knowledge_base (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	"key" VARCHAR NOT NULL, 
	description VARCHAR NOT NULL, 
	"by" VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, embedding_connection VARCHAR DEFAULT '' NOT NULL, embedding_model VARCHAR DEFAULT '' NOT NULL, 
	CONSTRAINT pk_knowledge_base PRIMARY KEY (id)
);

CREATE UNIQUE INDEX ix_knowledge_base_key ON knowledge_base ("key");

CREATE TABLE knowledge_document (
	id VARCHAR NOT NULL, 
	base_id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	sha256 VARCHAR NOT NULL, 
	media_type VARCHAR NOT NULL, 
	size INTEGER NOT NULL, 
	url VARCHAR NOT NULL, 
	pages INTEGER, 
	characters INTEGER NOT NULL, 
	passages INTEGER NOT NULL, 
	"by" VARCHAR NOT NULL, 
	added_at DATETIME NOT NULL, 
	read_at DATETIME NOT NULL, refresh VARCHAR DEFAULT '' NOT NULL, refresh_error VARCHAR DEFAULT '' NOT NULL, etag VARCHAR DEFAULT '' NOT NULL, refresh_at DATETIME, checked_at DATETIME, 
	CONSTRAINT pk_knowledge_document PRIMARY KEY (id), 
	CONSTRAINT fk_knowledge_document_base_id_knowledge_base FOREIGN KEY(base_id) REFERENCES knowledge_base (id) ON DELETE CASCADE, 
	CONSTRAINT fk_knowledge_document_sha256_file FOREIGN KEY(sha256) REFERENCES file (sha256)
);

CREATE UNIQUE INDEX ix_knowledge_document_base_id_sha256 ON knowledge_document (base_id, sha256);

CREATE UNIQUE INDEX ix_knowledge_document_base_id_name ON knowledge_document (base_id, name);

CREATE INDEX ix_knowledge_document_sha256 ON knowledge_document (sha256);

CREATE TABLE knowledge_passage (
	id INTEGER NOT NULL, 
	document_id VARCHAR NOT NULL, 
	base_id VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	page INTEGER, 
	heading VARCHAR NOT NULL, 
	start INTEGER NOT NULL, 
	"end" INTEGER NOT NULL, 
	text VARCHAR NOT NULL, pairs VARCHAR DEFAULT '' NOT NULL, 
	CONSTRAINT pk_knowledge_passage PRIMARY KEY (id), 
	CONSTRAINT fk_knowledge_passage_document_id_knowledge_document FOREIGN KEY(document_id) REFERENCES knowledge_document (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_knowledge_passage_document_id_number ON knowledge_passage (document_id, number);

CREATE TABLE knowledge_vector (
	passage_id INTEGER NOT NULL, 
	base_id VARCHAR NOT NULL, 
	vector BLOB NOT NULL, 
	CONSTRAINT pk_knowledge_vector PRIMARY KEY (passage_id), 
	CONSTRAINT fk_knowledge_vector_passage_id_knowledge_passage FOREIGN KEY(passage_id) REFERENCES knowledge_passage (id) ON DELETE CASCADE
);

CREATE INDEX ix_knowledge_vector_base_id ON knowledge_vector (base_id);

CREATE TABLE evaluation_label (
	id INTEGER NOT NULL, 
	evaluation_id VARCHAR NOT NULL, 
	position INTEGER NOT NULL, 
	"by" VARCHAR NOT NULL, 
	verdict VARCHAR NOT NULL, 
	note VARCHAR NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_evaluation_label PRIMARY KEY (id), 
	CONSTRAINT fk_evaluation_label_evaluation_id_evaluation FOREIGN KEY(evaluation_id) REFERENCES evaluation (id) ON DELETE CASCADE
);

CREATE INDEX ix_evaluation_label_evaluation_id_position ON evaluation_label (evaluation_id, position);

CREATE TABLE evaluation_judgment (
	run_id VARCHAR NOT NULL, 
	evaluation_id VARCHAR NOT NULL, 
	position INTEGER NOT NULL, 
	CONSTRAINT pk_evaluation_judgment PRIMARY KEY (run_id), 
	CONSTRAINT fk_evaluation_judgment_evaluation_id_evaluation FOREIGN KEY(evaluation_id) REFERENCES evaluation (id) ON DELETE CASCADE
);

CREATE INDEX ix_evaluation_judgment_evaluation_id ON evaluation_judgment (evaluation_id);

CREATE TABLE oauth_grant (
	id VARCHAR NOT NULL, 
	deployment_id VARCHAR NOT NULL, 
	client_id VARCHAR NOT NULL, 
	client_name VARCHAR NOT NULL, 
	redirect_uri VARCHAR NOT NULL, 
	challenge VARCHAR NOT NULL, 
	resource VARCHAR NOT NULL, 
	"by" VARCHAR NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	code_hash VARCHAR NOT NULL, 
	key_id VARCHAR, 
	former_hash VARCHAR, 
	CONSTRAINT pk_oauth_grant PRIMARY KEY (id), 
	CONSTRAINT fk_oauth_grant_deployment_id_deployment FOREIGN KEY(deployment_id) REFERENCES deployment (id) ON DELETE CASCADE
);

CREATE INDEX ix_oauth_grant_deployment_id ON oauth_grant (deployment_id);

CREATE UNIQUE INDEX ix_oauth_grant_code_hash ON oauth_grant (code_hash);

CREATE INDEX ix_oauth_grant_key_id ON oauth_grant (key_id);

CREATE INDEX ix_oauth_grant_former_hash ON oauth_grant (former_hash);

CREATE INDEX ix_knowledge_document_refresh_at ON knowledge_document (refresh_at);

CREATE VIRTUAL TABLE knowledge_index USING fts5(base_id, heading, text, pairs, content='knowledge_passage', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2');

CREATE TRIGGER knowledge_passage_added AFTER INSERT ON knowledge_passage BEGIN INSERT INTO knowledge_index(rowid, base_id, heading, text, pairs) VALUES (new.id, new.base_id, new.heading, new.text, new.pairs); END;

CREATE TRIGGER knowledge_passage_removed AFTER DELETE ON knowledge_passage BEGIN INSERT INTO knowledge_index(knowledge_index, rowid, base_id, heading, text, pairs) VALUES ('delete', old.id, old.base_id, old.heading, old.text, old.pairs); END;

CREATE TABLE evaluation_preference (
	evaluation_id VARCHAR NOT NULL, 
	position INTEGER NOT NULL, 
	"key" VARCHAR NOT NULL, 
	in_first VARCHAR NOT NULL, 
	in_second VARCHAR NOT NULL, 
	detail VARCHAR NOT NULL, 
	micro_usd INTEGER NOT NULL, 
	tokens INTEGER NOT NULL, 
	CONSTRAINT pk_evaluation_preference PRIMARY KEY (evaluation_id, position, "key"), 
	CONSTRAINT fk_evaluation_preference_evaluation_id_evaluation FOREIGN KEY(evaluation_id) REFERENCES evaluation (id) ON DELETE CASCADE
);

INSERT INTO alembic_version VALUES ('0037');

